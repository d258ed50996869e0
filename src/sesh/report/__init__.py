"""The double-entry ledger and the reports made from it: why "nothing silently lost" is arithmetic and not a promise."""
