"""What was found: statistics, tables, figures and a page, from a store's files alone.

Nothing here trains or asks a queue; importing it loads neither torch nor matplotlib.
"""

from reports.report import ReportFiles, print_table, render_text, write_report

__all__ = ["ReportFiles", "print_table", "render_text", "write_report"]
