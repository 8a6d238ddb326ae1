import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client'
import type { Deriver } from '../../engine/journeys/deriver.ts'
import type { StreamCounts } from '../../read/changes/open-streams.ts'
import type { WebhookCounts } from '../../work/webhooks/deliverer.ts'

/*
 * The metrics of a process, and the sums of those of several processes.
 */

/** The metrics of one answered request. */
type Observation = {
  operation: string
  status: number
  durationUs: number
  /** Whether the answer waited for a change, so that its duration says nothing about the server. */
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

/** Bucket bounds in seconds: fine for fast operations, coarse for exports. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]
const MICROSECONDS = 1e6

/** The two series that grow with every request. */
function requestSeries(registry: Registry) {
  const requests = new Counter({
    name: 'fleetgate_requests_total',
    help: 'Answered requests of the public API, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'fleetgate_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer, by operation.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers: [registry],
  })

  return (operation: string, status: number, durationUs: number | undefined): void => {
    requests.inc({ operation, status })
    if (durationUs !== undefined) durations.observe({ operation }, durationUs / MICROSECONDS)
  }
}

/** The series of the streams of changes. */
export function streamSeries(registry: Registry): StreamCounts {
  const registers = [registry]
  const open = new Gauge({
    name: 'fleetgate_streams_open',
    help: 'Open streams of changes.',
    registers,
  })
  const events = new Counter({
    name: 'fleetgate_stream_events_total',
    help: 'Pages of changes that were sent to streams.',
    registers,
  })
  const ended = new Counter({
    name: 'fleetgate_streams_ended_total',
    help: 'Streams of changes that ended, by reason.',
    labelNames: ['reason'],
    registers,
  })
  return {
    opened: () => open.inc(),
    sent: () => events.inc(),
    ended(reason) {
      open.dec()
      ended.inc({ reason })
    },
  }
}

type RecordSeries = {
  /** Counts rows of which records were derived. */
  derived(rows: number): void
  /** Shows how far a deriver is from now on. */
  follow(deriver: Pick<Deriver, 'behindMs' | 'tasks' | 'failures'>): void
}

/** The series of the derivation of records. A process shows its own organizations, so the sums have a meaning. */
export function recordSeries(registry: Registry): RecordSeries {
  const registers = [registry]
  const rows = new Counter({
    name: 'fleetgate_derived_positions_total',
    help: 'Positions from which records were derived, including repeats after late positions.',
    registers,
  })
  return {
    derived: (count) => rows.inc(count),
    follow(deriver) {
      new Gauge({
        name: 'fleetgate_records_behind_seconds',
        help: 'Seconds since the oldest change that is not derived yet was found.',
        registers,
        aggregator: 'max',
        collect() {
          this.set(deriver.behindMs() / 1_000)
        },
      })
      new Gauge({
        name: 'fleetgate_record_tasks',
        help: 'Tasks of the derivation that are left, such as an edited place.',
        registers,
        collect() {
          this.set(deriver.tasks())
        },
      })
      new Gauge({
        name: 'fleetgate_record_failures',
        help: 'Objects and places whose records cannot be derived.',
        registers,
        collect() {
          this.set(deriver.failures())
        },
      })
    },
  }
}

/** The series of recomputes. `waiting`: the number of objects that are left. */
export function recomputeSeries(registry: Registry, waiting: () => Promise<number>): void {
  new Gauge({
    name: 'fleetgate_recompute_objects',
    help: 'Objects whose stored positions are to be folded again.',
    registers: [registry],
    aggregator: 'max',
    async collect() {
      // In an outage it keeps the last number.
      const left = await waiting().catch(() => null)
      if (left !== null) this.set(left)
    },
  })
}

/** A receiver has 15 seconds to answer. */
const BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

/** The series of the deliveries to webhooks. */
export function webhookSeries(registry: Registry): WebhookCounts {
  const registers = [registry]
  const deliveries = new Counter({
    name: 'fleetgate_webhook_deliveries_total',
    help: 'Tries to deliver to webhooks, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const seconds = new Histogram({
    name: 'fleetgate_webhook_delivery_seconds',
    help: 'Seconds from the start of an attempt to the end of its answer.',
    buckets: BUCKETS_S,
    registers,
  })
  const switchedOff = new Counter({
    name: 'fleetgate_webhooks_switched_off_total',
    help: 'Webhooks that were switched off, because they failed for three days.',
    registers,
  })
  return {
    tried(outcome, durationMs) {
      deliveries.inc({ outcome })
      seconds.observe(durationMs / 1_000)
    },
    switchedOff: () => switchedOff.inc(),
  }
}

/** The metrics of one process, as prom-client gives them in JSON. */
export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

type SummedMetrics = {
  /** All processes' metrics as if they were one process, in Prometheus's text format. */
  text(): Promise<string>
  readonly contentType: string
  /** For the metrics of the primary process itself. */
  readonly registry: Registry
  /** Takes the metrics that a process reports on its own. */
  reported(process: number, metrics: ProcessMetrics): void
  /** Counts of an ended process stay in the sums, so that no counter ever falls. */
  ended(process: number): void
}

/** `ask`: gets the metrics of each process that answers, by its number. */
export function openSummedMetrics(
  ask: () => Promise<ReadonlyMap<number, ProcessMetrics>>,
): SummedMetrics {
  const own = new Registry()
  const running = new Gauge({
    name: 'fleetgate_processes',
    help: 'Processes that share the ports and answer.',
    registers: [own],
  })
  /** The last reported metrics: a process that is too busy to answer has not lost its counts. */
  const last = new Map<number, ProcessMetrics>()
  /** The metrics of ended processes. */
  let past: ProcessMetrics[] = []
  const gone = new Set<number>()

  return {
    contentType: own.contentType,
    registry: own,
    async text() {
      const reported = await ask()
      for (const [process, metrics] of reported) {
        // One that has ended since it answered is counted already.
        if (!gone.has(process)) last.set(process, metrics)
      }
      running.set(reported.size)
      if (past.length > 1) past = [await sum(past).getMetricsAsJSON()]
      return sum([...past, ...last.values(), await own.getMetricsAsJSON()]).metrics()
    },
    reported: (process, metrics) => void last.set(process, metrics),
    ended(process) {
      past.push((last.get(process) ?? []).filter(isCount))
      last.delete(process)
      gone.add(process)
    },
  }
}

function sum(metrics: ProcessMetrics[]): Registry {
  return AggregatorRegistry.aggregate(metrics)
}

/** In JSON the type is its name, contrary to prom-client's own types. */
function isCount({ type }: ProcessMetrics[number]): boolean {
  return `${type}` === 'counter' || `${type}` === 'histogram'
}
