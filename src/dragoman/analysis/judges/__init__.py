"""How far judges agree, how far they are right, and what figures are once their errors are taken out."""
