package io.gpumem.bench.measure;

import io.gpumem.bench.figures.Report;

/** One part of the bench: it measures and adds its tables. */
public interface Measurement {
  void run(Report report) throws Exception;
}
