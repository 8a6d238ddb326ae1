import * as z from 'zod'
import { bounded, MAX_ROWS, tool } from './tool.ts'

export const usage = tool({
  name: 'usage',
  title: 'Limits and their rest',
  description:
    'The rest of the requests of 10 seconds and of the daily quota, with the vehicles that used most of it today. Uses up no quota.',
  input: z.object({}),
  async answer(fleet, _given, signal) {
    const { window, quota, maxima } = await fleet.usage({ signal })
    const most = quota.objects.toSorted((a, b) => b.used - a.used)
    const { rows, more } = bounded(most, MAX_ROWS)
    return { window, quota: { ...quota, objects: rows, more_objects: more }, maxima }
  },
})
