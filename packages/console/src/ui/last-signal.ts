import type { FleetObject } from '../api/types.ts'

/** When it last gave a sign of life, as the server counts it: a packet that came late, or by an import, is as old as its fix. */
export function lastSignal({
  time_server,
  time_device,
}: Pick<FleetObject, 'time_server' | 'time_device'>): string | null {
  if (time_server === null || time_device === null) return time_server
  return time_device < time_server ? time_device : time_server
}
