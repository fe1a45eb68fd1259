"""courier: a simulated parcel service whose customers have tools of their own at the locker.

The suite is bundled: nothing has to be downloaded.
"""
