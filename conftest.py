"""For every test in the repository: property tests are judged by what they find, never by how fast a busy machine is."""

from hypothesis import HealthCheck, settings

settings.register_profile("tumbler", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tumbler")
