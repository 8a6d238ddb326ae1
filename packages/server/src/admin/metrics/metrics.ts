import { collectDefaultMetrics, Registry } from 'prom-client'
import { requestSeries } from './request-series.ts'
import type { ProcessMetrics } from './summed-metrics.ts'

/** The metrics of one answered request. */
export type Observation = {
  operation: string
  status: number
  durationUs: number
  /** Whether the answer waited for a change, so that its duration tells nothing of the server. */
  isHeld: boolean
}

export type Metrics = {
  observe(observation: Observation): void
  /** Prometheus's text format. */
  text(): Promise<string>
  readonly contentType: string
  /** The metrics in a form that can be added to those of other processes. */
  json(): Promise<ProcessMetrics>
  /** For the metrics of other listeners. */
  readonly registry: Registry
}

export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const count = requestSeries(registry)
  return {
    observe: ({ operation, status, durationUs, isHeld }) =>
      count(operation, status, isHeld ? undefined : durationUs),
    text: () => registry.metrics(),
    json: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
    registry,
  }
}
