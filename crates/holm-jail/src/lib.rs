//! Child processes under OS confinement.
