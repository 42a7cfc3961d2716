#pragma once

/// What the emulated device was asked for so far.
struct EmulationCounts {
    long launches;
    long copies;
    double copied;  // bytes
    long synchronisations;
    long allocations;
};
extern "C" EmulationCounts* alfcg_emulation_counts();
