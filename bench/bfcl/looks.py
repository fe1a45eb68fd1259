"""A read-only call without arguments for each API of BFCL's multi-turn entries."""

LOOKS = {
    "GorillaFileSystem": "pwd",
    "MathAPI": "nothing",
    "MessageAPI": "list_users",
    "TicketAPI": "ticket_get_login_status",
    "TradingBot": "get_current_time",
    "TravelAPI": "travel_get_login_status",
    "TwitterAPI": "posting_get_login_status",
    "VehicleControlAPI": "find_nearest_tire_shop",
}
"""Read-only function of each API.

Every function of the MathAPI needs arguments, so `nothing` stands for it: the few entries that
begin with this API get no read-only call.
"""
