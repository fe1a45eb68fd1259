"""courier: a parcel service of our own, where customers have tools at the locker too."""
