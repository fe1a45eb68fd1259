import copy
from typing import Any

import pytest

from dragoman.benchmarks.bfcl.apis.environment import make_environment
from dragoman.benchmarks.bfcl.apis.vehicle_control_api import VehicleControlAPI
from dragoman.core.tools import ToolCall

DOORS = ["driver", "passenger", "rear_left", "rear_right"]


@pytest.fixture
def api() -> VehicleControlAPI:
    return VehicleControlAPI({"fuelLevel": 10.0})


def test_the_engine_starts_behind_locked_doors_with_the_brake_pressed_down(
    api: VehicleControlAPI,
) -> None:
    assert api.startEngine("START") == {
        "error": "All doors must be locked before starting the engine. "
        "Here are the unlocked doors: driver, passenger, rear_left, rear_right"
    }
    assert api.lockDoors(unlock=False, door=DOORS) == {
        "lockStatus": "locked",
        "remainingUnlockedDoors": 0,
    }
    assert api.startEngine("START") == {
        "error": "Brake pedal needs to be pressed when starting the engine."
    }
    api.pressBrakePedal(0.5)
    assert api.startEngine("START") == {
        "error": "Must press the brake fully before starting the engine."
    }
    assert api.pressBrakePedal(1) == {"brakePedalStatus": "pressed", "brakePedalForce": 1000.0}
    assert api.startEngine("START") == {
        "engineState": "running",
        "fuelLevel": 10.0,
        "batteryVoltage": 12.6,
    }


def test_stopping_the_engine_works_and_is_answered_with_an_error() -> None:
    api = VehicleControlAPI(
        {
            "engineState": "running",
            "doorStatus": {"driver": "locked"},
            "brakePedalStatus": "pressed",
            "brakePedalForce": 1000.0,
        }
    )
    assert api.startEngine("STOP") == {"error": "Invalid ignition mode."}
    assert api.state()["engine_state"] == "stopped"


def test_the_scenario_s_own_count_of_doors_is_not_believed() -> None:
    api = VehicleControlAPI(
        {"remainingUnlockedDoors": 0, "doorStatus": {"driver": "locked", "rear_left": "unlocked"}}
    )
    assert api.state()["remainingUnlockedDoors"] == 1


def test_doors_before_an_unknown_one_stay_locked(api: VehicleControlAPI) -> None:
    with pytest.raises(KeyError):
        api.lockDoors(unlock=False, door=["driver", "boot", "passenger"])
    assert api.state()["remainingUnlockedDoors"] == 3


@pytest.mark.parametrize(
    ("gallons", "answer"),
    [
        (-1, {"error": "Fuel amount cannot be negative."}),
        (40.5, {"error": "Cannot fill gas above the tank capacity."}),
        (40, {"fuelLevel": 50.0}),
    ],
)
def test_the_tank_holds_fifty_gallons(
    api: VehicleControlAPI, gallons: float, answer: dict[str, object]
) -> None:
    assert api.fillFuelTank(gallons) == answer


def test_fahrenheit_is_echoed_and_kept_as_celsius(api: VehicleControlAPI) -> None:
    assert api.adjustClimateControl(68, unit="fahrenheit", fanSpeed=30, mode="heat") == {
        "currentACTemperature": 68,
        "climateMode": "heat",
        "humidityLevel": 50.0,
    }
    assert api.displayCarStatus("climate") == {
        "currentACTemperature": 20.0,
        "fanSpeed": 30,
        "climateMode": "heat",
        "humidityLevel": 50.0,
    }
    assert api.adjustClimateControl(20, fanSpeed=101) == {
        "error": "Fan speed must be between 0 and 100."
    }


def test_headlights_on_auto_are_off(api: VehicleControlAPI) -> None:
    assert api.setHeadlights("on") == {"headlightStatus": "on"}
    assert api.setHeadlights("auto") == {"headlightStatus": "off"}
    assert api.setHeadlights("dim") == {"error": "Invalid headlight mode."}


def test_the_parking_brake_reports_a_slope_once_it_was_used(api: VehicleControlAPI) -> None:
    assert api.displayCarStatus("parkingBrake") == {
        "parkingBrakeStatus": "released",
        "parkingBrakeForce": 0.0,
        "slopeAngle": 0.0,
    }
    api.activateParkingBrake("engage")
    assert api.activateParkingBrake("release") == {
        "parkingBrakeStatus": "released",
        "_parkingBrakeForce": 0.0,
        "_slopeAngle": 10.0,
    }
    assert api.activateParkingBrake("lock") == {"error": "Invalid mode"}


def test_forces_and_slopes_are_not_compared(api: VehicleControlAPI) -> None:
    before = api.state()
    api.activateParkingBrake("release")
    assert api.state() == before


def test_cruise_control_keeps_the_distance_even_of_a_refused_speed() -> None:
    api = VehicleControlAPI({"engineState": "running"})
    assert api.setCruiseControl(63, activate=True, distanceToNextVehicle=20) == {
        "error": "Invalid speed"
    }
    assert api.state()["distanceToNextVehicle"] == 20.0
    assert api.setCruiseControl(65, activate=True, distanceToNextVehicle=30) == {
        "cruiseStatus": "active",
        "currentSpeed": 65.0,
        "distanceToNextVehicle": 30.0,
    }
    assert api.setCruiseControl(63, activate=False, distanceToNextVehicle=30) == {
        "cruiseStatus": "inactive",
        "currentSpeed": 63.0,
        "distanceToNextVehicle": 30.0,
    }


def test_distances_hold_both_ways_and_are_asked_by_zip_code(api: VehicleControlAPI) -> None:
    assert api.get_zipcode_based_on_city("Rivermist") == {"zipcode": "83214"}
    assert api.get_zipcode_based_on_city(["Rivermist"]) == {"zipcode": "00000"}
    assert api.estimate_distance("83214", "74532") == {"distance": 750.0}
    assert api.estimate_distance("74532", "83214") == {"distance": 750.0}
    unknown = {"error": "distance not found in database."}
    assert api.estimate_distance("Rivermist", "Stonebrook") == unknown
    assert api.estimate_distance(["83214"], "83214") == unknown


def test_a_drive_is_feasible_at_twenty_miles_a_gallon(api: VehicleControlAPI) -> None:
    assert api.estimate_drive_feasibility_by_mileage(200) == {"canDrive": True}
    assert api.estimate_drive_feasibility_by_mileage(201) == {"canDrive": False}


@pytest.mark.parametrize(("pressure", "is_healthy"), [(29.9, False), (30, True), (35.1, False)])
def test_tires_are_judged_by_their_mean(pressure: float, is_healthy: bool) -> None:
    names = ("frontLeft", "frontRight", "rearLeft", "rearRight")
    api = VehicleControlAPI({f"{name}TirePressure": pressure for name in names})
    assert api.check_tire_pressure()["healthy_tire_pressure"] is is_healthy


def test_temperature_and_speed_are_drawn_alike_in_every_world() -> None:
    drawn = [VehicleControlAPI({}).get_outside_temperature_from_google() for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert VehicleControlAPI({"random_seed": 1}).get_current_speed() != (
        VehicleControlAPI({}).get_current_speed()
    )


def test_the_doors_of_the_scenario_stay_as_they_were() -> None:
    scenario: dict[str, Any] = {"doorStatus": {"driver": "unlocked"}}
    kept = copy.deepcopy(scenario)
    VehicleControlAPI(scenario).lockDoors(unlock=False, door=["driver"])
    assert scenario == kept


def test_arguments_of_another_type_are_answered_and_change_nothing() -> None:
    environment = make_environment(["VehicleControlAPI"], {})
    result = environment.call(ToolCall("1", "lockDoors", {"unlock": False, "door": 1.5}))
    assert result.content == "Error during execution: 'float' object is not iterable"
    assert environment.delta() == {}
