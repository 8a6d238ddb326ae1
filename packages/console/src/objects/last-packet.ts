import type { FleetObject } from '../api/types.ts'

/** When the last packet came, or when it was taken, where it came late or by an import. */
export function lastPacket({ time_server, time_device }: FleetObject): string | null {
  if (time_server === null || time_device === null) return time_server
  return time_device < time_server ? time_device : time_server
}
