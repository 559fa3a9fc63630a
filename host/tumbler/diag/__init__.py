"""The technician's hand on a controller: service requests over its cable, or through the daemon that holds it."""
