//! What went right and wrong, where.
