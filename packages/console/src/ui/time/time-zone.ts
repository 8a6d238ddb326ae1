import { Kept, useCell } from '../../kept.ts'

/** Whether all times are shown in UTC instead of the viewer's time zone. */
const utc = new Kept('utc')

export function useUtc(): [boolean, (utc: boolean) => void] {
  return [useCell(utc) === 'true', (next) => utc.set(String(next))]
}
