"""Prints the products in a JSON file: `python3 -m report products.json [--csv]`."""

import json
import sys

from report.export import to_csv
from report.table import to_table

COLUMNS = ["sku", "name", "price"]

with open(sys.argv[1]) as file:
    products = json.load(file)
print((to_csv if "--csv" in sys.argv else to_table)(products, COLUMNS), end="")
