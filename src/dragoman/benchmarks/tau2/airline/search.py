"""Searches for flights on sale, over the routes that the data know."""

from collections.abc import Iterator

from dragoman.benchmarks.kit.tables import Table, render
from dragoman.benchmarks.tau2.airline.records import (
    AirlineData,
    AirlineTables,
    Available,
    Flight,
    Offer,
)

NEXT_DAY = "+1"
"""Marks an arrival time that falls on the day after the departure."""

OnSale = tuple[Flight, Available]


class FlightSearch:
    """Finds flights in one world's tables; texts of unchanged ones are shared by all worlds."""

    def __init__(self, tables: AirlineTables) -> None:
        self._data: AirlineData = tables.data
        self._flights: Table[Flight] = tables.flights

    def direct(self, origin: object, destination: object, date: str) -> str:
        """Return the text of the flights from origin to destination on a date."""
        offers = [
            self._offer(flight, sale, date, dated=False)
            for flight, sale in self._on_sale(origin, destination, date)
        ]
        return f"[{', '.join(offers)}]"

    def one_stop(self, origin: object, destination: object, date: str) -> str:
        """Return the text of the pairs of flights that meet on the way."""
        pairs = []
        for first, first_sale in self._on_sale(origin, None, date):
            arrival = first.scheduled_arrival_time_est
            on = _day_after(date) if NEXT_DAY in arrival else date
            for second, second_sale in self._on_sale(first.destination, destination, on, arrival):
                first_text = self._offer(first, first_sale, date, dated=True)
                second_text = self._offer(second, second_sale, on, dated=True)
                pairs.append(f"[{first_text}, {second_text}]")
        return f"[{', '.join(pairs)}]"

    def _on_sale(
        self, origin: object, destination: object, date: str, earliest: str = ""
    ) -> Iterator[OnSale]:
        # What is not a name equals no airport's, also where it could not be looked up.
        if not isinstance(origin, str | None) or not isinstance(destination, str | None):
            return
        for number in self._data.routes.get((origin, destination), ()):
            flight = self._flights.get(number)
            sale = None if flight is None else flight.dates.get(date)
            if (
                flight is not None
                and isinstance(sale, Available)
                and flight.scheduled_departure_time_est >= earliest
            ):
                yield flight, sale

    def _offer(self, flight: Flight, sale: Available, date: str, *, dated: bool) -> str:
        number = flight.flight_number
        if sale is not self._data.flights.records[number].dates[date]:
            return _render_offer(flight, sale, date if dated else None)
        key = (number, date, dated)
        text = self._data.offers.get(key)
        if text is None:
            text = _render_offer(flight, sale, date if dated else None)
            self._data.offers[key] = text
        return text


def _day_after(date: str) -> str:
    # The reference's own: the data hold one month, and its flights start after the ninth.
    return f"2024-05-{int(date[-2:]) + 1}"


def _render_offer(flight: Flight, sale: Available, date: str | None) -> str:
    return render(
        Offer(
            flight.flight_number,
            flight.origin,
            flight.destination,
            "available",
            flight.scheduled_departure_time_est,
            flight.scheduled_arrival_time_est,
            date,
            sale.available_seats,
            sale.prices,
        )
    )
