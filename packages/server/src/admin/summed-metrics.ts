import { AggregatorRegistry, Gauge, Registry } from 'prom-client'

/** The metrics of one process, as prom-client gives them in JSON. */
export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

export type SummedMetrics = {
  /** Prometheus's text exposition format, of all processes as if they were one. */
  text(): Promise<string>
  readonly contentType: string
  /** For what the process that holds the others counts itself. */
  readonly registry: Registry
  /** What a process says of itself without being asked. */
  told(process: number, metrics: ProcessMetrics): void
  /** What a process has counted stays in the sums, so that no counter ever falls. */
  ended(process: number): void
}

/** `ask`: what each process has counted, by its number, of those that answer. */
export function openSummedMetrics(
  ask: () => Promise<ReadonlyMap<number, ProcessMetrics>>,
): SummedMetrics {
  const own = new Registry()
  const running = new Gauge({
    name: 'fleetgate_processes',
    help: 'Processes that share the ports and answer.',
    registers: [own],
  })
  /** As they were told last: a process that is too busy to answer has not lost its counts. */
  const last = new Map<number, ProcessMetrics>()
  /** Of processes that have ended. */
  let past: ProcessMetrics[] = []

  return {
    contentType: own.contentType,
    registry: own,
    async text() {
      const told = await ask()
      for (const [process, metrics] of told) last.set(process, metrics)
      running.set(told.size)
      if (past.length > 1) past = [await sum(past).getMetricsAsJSON()]
      return sum([...past, ...last.values(), await own.getMetricsAsJSON()]).metrics()
    },
    told: (process, metrics) => void last.set(process, metrics),
    ended(process) {
      past.push((last.get(process) ?? []).filter(isCount))
      last.delete(process)
    },
  }
}

function sum(metrics: ProcessMetrics[]): Registry {
  return AggregatorRegistry.aggregate(metrics)
}

/** In JSON the type is its name, whatever prom-client's own types say. */
function isCount({ type }: ProcessMetrics[number]): boolean {
  return `${type}` === 'counter' || `${type}` === 'histogram'
}
