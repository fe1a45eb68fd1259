"""`VehicleControlAPI`: a car with its engine, doors, climate and navigation."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.apis.scenario_values import CopyOnWrite, SeededRandom

_SEED = 141_053
_FULL_TANK = 50
"""Gallons."""
_MILES_PER_GALLON = 20.0
_FULL_BRAKE = 1000
"""Newtons."""
_PARKING_BRAKE = 500.0
_SLOPE = 10.0
"""Degrees reported once the parking brake was used, whether engaged or released."""
_FASTEST, _SPEED_STEP = 120, 5
_LOWEST_PRESSURE, _HIGHEST_PRESSURE = 30, 35
_MOST_FAN = 100
_NOT_COMPARED = frozenset({"engineState", "parkingBrakeForce", "slopeAngle", "brakePedalForce"})
_GALLONS_PER_LITER = 0.264172
_LITERS_PER_GALLON = 3.78541
_TIRES = (
    "frontLeftTirePressure",
    "frontRightTirePressure",
    "rearLeftTirePressure",
    "rearRightTirePressure",
)
_STATUS: Mapping[str, Mapping[str, str]] = {
    "fuel": {"fuelLevel": "fuelLevel"},
    "battery": {"batteryVoltage": "batteryVoltage"},
    "climate": {
        "currentACTemperature": "acTemperature",
        "fanSpeed": "fanSpeed",
        "climateMode": "acMode",
        "humidityLevel": "humidityLevel",
    },
    "headlights": {"headlightStatus": "headLightStatus"},
    "parkingBrake": {
        "parkingBrakeStatus": "parkingBrakeStatus",
        "parkingBrakeForce": "parkingBrakeForce",
        "slopeAngle": "slopeAngle",
    },
    "brakePedal": {
        "brakePedalStatus": "brakePedalStatus",
        "brakePedalForce": "brakePedalForce",
    },
    "engine": {"engineState": "engineState"},
}


class _Tables(msgspec.Struct, frozen=True):
    """A car's built-in state, zip codes by city, and kilometres between two zip codes."""

    defaults: dict[str, Any]
    zip_codes: dict[str, str]
    distances: list[tuple[str, str, float]]


@cache
def _tables() -> _Tables:
    content = (files("dragoman.benchmarks.bfcl.apis") / "vehicle.json").read_bytes()
    return msgspec.json.decode(content, type=_Tables)


class VehicleControlAPI:
    """The car of one world."""

    __slots__ = ("_car", "_doors", "_draws", "_long", "_unlocked")

    def __init__(self, scenario: Mapping[str, Any], long: LongTexts | None = None) -> None:
        defaults = _tables().defaults
        self._car = {name: scenario.get(name, value) for name, value in defaults.items()}
        self._doors: CopyOnWrite[dict[str, str]] = CopyOnWrite(self._car.pop("doorStatus"))
        self._unlocked = sum(status != "locked" for status in self._doors.value.values())
        self._draws = SeededRandom(scenario.get("random_seed", _SEED))
        self._long = long

    def state(self) -> dict[str, object]:
        """Return the attributes by which worlds are compared."""
        compared = self._car.copy()
        for name in _NOT_COMPARED:
            del compared[name]
        compared["engine_state"] = self._car["engineState"]
        compared["remainingUnlockedDoors"] = self._unlocked
        compared["doorStatus"] = self._doors.shown()
        compared["long_context"] = self._long is not None
        return compared

    def startEngine(self, ignitionMode: str) -> dict[str, object]:
        """Start the engine; to stop it works too, and is answered with an error."""
        car = self._car
        if ignitionMode == "STOP":
            car["engineState"] = "stopped"
        problem = self._start_problem()
        if problem:
            return {"error": problem}
        if ignitionMode != "START":
            return {"error": "Invalid ignition mode."}
        car["engineState"] = "running"
        return {
            "engineState": "running",
            "fuelLevel": car["fuelLevel"],
            "batteryVoltage": car["batteryVoltage"],
        }

    def fillFuelTank(self, fuelAmount: float) -> dict[str, object]:
        """Add gallons to the tank."""
        if fuelAmount < 0:
            return {"error": "Fuel amount cannot be negative."}
        level = self._car["fuelLevel"] + fuelAmount
        if level > _FULL_TANK:
            return {"error": "Cannot fill gas above the tank capacity."}
        if level < 0:
            return {"error": "Fuel tank is empty. Min fuel level is 0 gallons."}
        self._car["fuelLevel"] = level
        return {"fuelLevel": level}

    def lockDoors(self, unlock: bool, door: Sequence[str]) -> dict[str, object]:
        """Lock or unlock doors; those before an unknown one stay changed."""
        status, step = ("unlocked", 1) if unlock else ("locked", -1)
        for name in door:
            if self._doors.value[name] != status:
                self._doors.own()[name] = status
                self._unlocked += step
        return {"lockStatus": status, "remainingUnlockedDoors": self._unlocked}

    def adjustClimateControl(
        self, temperature: float, unit: str = "celsius", fanSpeed: int = 50, mode: str = "auto"
    ) -> dict[str, object]:
        """Set temperature, fan and mode of the air conditioning."""
        if not 0 <= fanSpeed <= _MOST_FAN:
            return {"error": f"Fan speed must be between 0 and {_MOST_FAN}."}
        celsius = (temperature - 32) * 5 / 9 if unit == "fahrenheit" else temperature
        self._car.update(acTemperature=celsius, fanSpeed=fanSpeed, acMode=mode)
        return {
            "currentACTemperature": temperature,
            "climateMode": mode,
            "humidityLevel": self._car["humidityLevel"],
        }

    def get_outside_temperature_from_google(self) -> dict[str, object]:
        """Return a drawn temperature."""
        drawn: dict[str, object] = {"outsideTemperature": self._draws.uniform(-10.0, 40.0)}
        return drawn if self._long is None else {**self._long.long_weather_extension, **drawn}

    def get_outside_temperature_from_weather_com(self) -> dict[str, object]:
        """Return an error: the service does not answer."""
        return {"error": 404}

    def setHeadlights(self, mode: str) -> dict[str, object]:
        """Set the headlights; `auto` leaves them off."""
        if mode not in ("on", "off", "auto"):
            return {"error": "Invalid headlight mode."}
        status = "on" if mode == "on" else "off"
        self._car["headLightStatus"] = status
        return {"headlightStatus": status}

    def displayCarStatus(self, option: object) -> dict[str, object]:
        """Return one part of what the car knows of itself."""
        shown: dict[str, object] = {}
        if self._long is not None:
            shown["metadata"] = self._long.car_status_metadata_extension
        if option == "doors":
            shown["doorStatus"] = self._doors.value
        elif isinstance(option, str) and option in _STATUS:
            shown.update((name, self._car[kept]) for name, kept in _STATUS[option].items())
        else:
            shown["error"] = "Invalid option"
        return shown

    def activateParkingBrake(self, mode: str) -> dict[str, object]:
        """Engage or release the parking brake."""
        if mode not in ("engage", "release"):
            return {"error": "Invalid mode"}
        status, force = ("engaged", _PARKING_BRAKE) if mode == "engage" else ("released", 0.0)
        self._car.update(parkingBrakeStatus=status, parkingBrakeForce=force, slopeAngle=_SLOPE)
        shown: dict[str, object] = {}
        if self._long is not None:
            shown["parkingBrakeInstruction"] = self._long.parking_brake_instruction
        shown.update(parkingBrakeStatus=status, _parkingBrakeForce=force, _slopeAngle=_SLOPE)
        return shown

    def pressBrakePedal(self, pedalPosition: float) -> dict[str, object]:
        """Press the brake pedal by a part of its way; 0 releases it."""
        if not 0 <= pedalPosition <= 1:
            return {"error": "Pedal position must be between 0 and 1."}
        if pedalPosition == 0:
            return self.releaseBrakePedal()
        force = _FULL_BRAKE * pedalPosition
        self._car.update(brakePedalStatus="pressed", brakePedalForce=force)
        return {"brakePedalStatus": "pressed", "brakePedalForce": float(force)}

    def releaseBrakePedal(self) -> dict[str, object]:
        """Release the brake pedal."""
        self._car.update(brakePedalStatus="released", brakePedalForce=0.0)
        return {"brakePedalStatus": "released", "brakePedalForce": 0.0}

    def setCruiseControl(
        self, speed: float, activate: bool, distanceToNextVehicle: float
    ) -> dict[str, object]:
        """Set speed and distance that the car keeps; the distance is set even at a bad speed."""
        speed, distance = float(speed), float(distanceToNextVehicle)
        if self._car["engineState"] == "stopped":
            return {"error": "Start the engine before activating the cruise control."}
        self._car["distanceToNextVehicle"] = distance
        if activate and (speed < 0 or speed > _FASTEST or speed % _SPEED_STEP != 0):
            return {"error": "Invalid speed"}
        status = "active" if activate else "inactive"
        self._car["cruiseStatus"] = status
        return {"cruiseStatus": status, "currentSpeed": speed, "distanceToNextVehicle": distance}

    def get_current_speed(self) -> dict[str, object]:
        """Return a drawn speed."""
        return {"currentSpeed": self._draws.uniform(0.0, float(_FASTEST))}

    def display_log(self, messages: Sequence[str]) -> dict[str, object]:
        """Return the messages."""
        return {"log": messages}

    def estimate_drive_feasibility_by_mileage(self, distance: float) -> dict[str, object]:
        """Return whether the fuel is enough for a distance in miles."""
        return {"canDrive": not self._car["fuelLevel"] * _MILES_PER_GALLON < distance}

    def liter_to_gallon(self, liter: float) -> dict[str, object]:
        """Return liters as gallons."""
        return {"gallon": liter * _GALLONS_PER_LITER}

    def gallon_to_liter(self, gallon: float) -> dict[str, object]:
        """Return gallons as liters."""
        return {"liter": gallon * _LITERS_PER_GALLON}

    def estimate_distance(self, cityA: object, cityB: object) -> dict[str, object]:
        """Return the kilometres between two zip codes."""
        shown: dict[str, object] = {"error": "distance not found in database."}
        for one, other, distance in _tables().distances:
            if [cityA, cityB] in ([one, other], [other, one]):
                shown = {"distance": distance}
        if self._long is not None:
            shown["intermediaryCities"] = self._long.intermediary_cities
        return shown

    def get_zipcode_based_on_city(self, city: object) -> dict[str, object]:
        """Return a city's zip code, 00000 where it is not known."""
        known = _tables().zip_codes.get(city) if isinstance(city, str) else None
        return {"zipcode": known or "00000"}

    def set_navigation(self, destination: str) -> dict[str, object]:
        """Set where the navigation leads."""
        self._car["destination"] = destination
        return {"status": "Navigating to " + destination}

    def check_tire_pressure(self) -> dict[str, object]:
        """Return the pressures of the tires, and whether their mean is healthy."""
        pressures = {name: self._car[name] for name in _TIRES}
        mean = sum(pressures.values()) / len(pressures)
        return {
            **pressures,
            "healthy_tire_pressure": _LOWEST_PRESSURE <= mean <= _HIGHEST_PRESSURE,
            "car_info": {} if self._long is None else self._long.car_status_metadata_extension,
        }

    def find_nearest_tire_shop(self) -> dict[str, object]:
        """Return the only shop there is."""
        return {"shopLocation": "456 Oakwood Avenue, Rivermist, 83214"}

    def _start_problem(self) -> str:
        """Return what keeps the engine from starting; "" where nothing does."""
        car = self._car
        if self._unlocked > 0:
            doors = self._doors.value.items()
            unlocked = ", ".join(name for name, status in doors if status == "unlocked")
            return (
                "All doors must be locked before starting the engine. "
                f"Here are the unlocked doors: {unlocked}"
            )
        if car["brakePedalStatus"] != "pressed":
            return "Brake pedal needs to be pressed when starting the engine."
        if car["brakePedalForce"] != _FULL_BRAKE:
            return "Must press the brake fully before starting the engine."
        return "Fuel tank is empty." if car["fuelLevel"] < 0 else ""
