"""A call for each interface of BFCL's several turns that only looks, with no arguments."""

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
"""Every function of the MathAPI needs arguments: the few entries that begin with it get no look."""
