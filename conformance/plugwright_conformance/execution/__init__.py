"""How checks run: in which order and process, with which workbench, and what becomes of them."""
