import * as z from 'zod'
import { bounded, MAX_ROWS, tool } from './tool.ts'

export const usage = tool({
  name: 'usage',
  title: 'What is left of the limits',
  description:
    'The requests that are left of each 10 seconds, and the daily quota that each vehicle has used, the most first. Uses up no quota.',
  input: z.object({}),
  async answer(fleet, _given, signal) {
    const { window, quota, maxima } = await fleet.usage({ signal })
    const most = quota.objects.toSorted((a, b) => b.used - a.used)
    const { rows, more } = bounded(most, MAX_ROWS)
    return { window, quota: { ...quota, objects: rows, more_objects: more }, maxima }
  },
})
