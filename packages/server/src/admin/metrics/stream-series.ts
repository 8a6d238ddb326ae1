import { Counter, Gauge, type Registry } from 'prom-client'
import type { StreamCounts } from '../../api/changes/open-streams.ts'

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
