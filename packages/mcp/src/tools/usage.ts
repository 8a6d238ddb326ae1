import * as z from 'zod'
import { renewedAt } from '../failure.ts'
import { bySkip, fitted } from '../fitted.ts'
import { namedOf } from '../vehicles.ts'
import { clockOf, part, tool } from './tool.ts'

export const usage = tool({
  name: 'usage',
  title: 'What is left of the limits',
  description: `The rest of the two limits. window: the requests of the whole organization in a few seconds; a tool takes 1 to 6 of them. quota: how often each vehicle may be read on a day of UTC; limit null: as often as you like. The rows are the vehicles that were read today, the most read first: used, and remaining (null without a limit). Vehicles that were not read today have no row.
Charges no quota.`,
  input: z.strictObject({ ...part }),
  async answer(question, { limit, skip }) {
    const { fleet, times, now, signal } = question
    const { window, quota, maxima } = await fleet.api.usage({ signal })
    const vehicles = await fleet.vehicles()
    const rows = quota.objects
      .toSorted((a, b) => b.used - a.used)
      .map(({ id, ...left }) => ({ ...namedOf(id, '', vehicles), ...left }))
    const head = {
      ...clockOf(question),
      window: { limit: window.limit, remaining: window.remaining, next_in_seconds: window.reset },
      quota: { limit: quota.limit, renewed_at: times.shown(renewedAt(now)) },
      longest_range_days: maxima.history_days,
      count: rows.length,
    }
    return fitted(head, 'vehicles', rows, { skip, limit, rest: bySkip('leave it at these') })
  },
})
