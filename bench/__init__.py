"""How fast sesh is: sessions made by rule, runs in pairs, ratios. `python -m bench` does it all."""
