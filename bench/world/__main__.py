"""`python -m bench.world`: writes all generated tables."""

from pathlib import Path

from bench.world.tables import TABLES, as_csv

FOLDER = Path(__file__).parents[2] / "src/dragoman/benchmarks/itc/world/data/tables"


def main() -> None:
    for name, make in TABLES.items():
        path = FOLDER / f"{name}.csv"
        path.write_text(as_csv(make()), "utf-8")
        print(f"{path.stat().st_size:>7} {name}")


if __name__ == "__main__":
    main()
