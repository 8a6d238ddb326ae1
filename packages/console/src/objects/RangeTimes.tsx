import type { PositionRange } from '../ui/page/delete-address.ts'
import { Time } from '../ui/time/Time.tsx'

/** A range of positions: its first and its last time, or the only one. */
export function RangeTimes({ from, to }: PositionRange) {
  return (
    <>
      <Time value={from} as="second" />
      {from !== to && (
        <>
          {' – '}
          <Time value={to} as="second" />
        </>
      )}
    </>
  )
}
