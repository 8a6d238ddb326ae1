import { collectDefaultMetrics, Registry } from 'prom-client'
import { requestSeries } from './request-series.ts'
import type { ProcessMetrics } from './summed-metrics.ts'

/** What one answered request adds to the metrics. */
export type Observation = { operation: string; status: number; durationUs: number }

export type Metrics = {
  observe(observation: Observation): void
  /** Prometheus's text exposition format. */
  text(): Promise<string>
  readonly contentType: string
  /** The same for adding it up with what other processes count. */
  json(): Promise<ProcessMetrics>
  /** For what other listeners count. */
  readonly registry: Registry
}

export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const count = requestSeries(registry)
  return {
    observe: ({ operation, status, durationUs }) => count(operation, status, durationUs),
    text: () => registry.metrics(),
    json: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
    registry,
  }
}
