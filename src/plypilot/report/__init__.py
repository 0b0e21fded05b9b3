"""Reports: what a run has learned, as one HTML page with everything in it."""

from plypilot.report.run_page import make_report, sections_of, write_report

__all__ = ["make_report", "sections_of", "write_report"]
