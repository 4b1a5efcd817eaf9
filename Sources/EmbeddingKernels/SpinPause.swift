import CEmbeddingKernels

/// Tells the processor that this thread does nothing but wait for another one.
package func pauseSpinning() { ek_pause() }
