import { AggregatorRegistry, Gauge, Registry } from 'prom-client'

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
