"""Write the golden report anew: ``python -m tests.reports.regenerate``. Read the difference before committing it."""

import tempfile
from pathlib import Path

from reports import write_report
from tests.reports.store import golden_store

GOLDEN = Path(__file__).parent / "golden"
NAMES = ("table.md", "table.tex", "table.csv")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        report = write_report(golden_store(Path(folder)), "synthetic")
        for name in NAMES:
            (GOLDEN / name).write_bytes((report.folder / name).read_bytes())
            print(GOLDEN / name)


if __name__ == "__main__":
    main()
