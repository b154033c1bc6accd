"""One format a module. Each takes the table's cells and returns text; none computes a number."""
