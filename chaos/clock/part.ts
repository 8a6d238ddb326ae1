import type { Part } from '../part.ts'
import { stepCalendar } from './calendar.ts'
import { fakeClock } from './fake-clock.ts'
import { stepRedis, stepServer } from './windows.ts'

export const part: Part = {
  name: 'clock',
  title: 'A clock that is set',
  about: `The clock of real processes is set an hour back or forth at random moments (libfaketime, which shows
them another time of day and leaves the monotonic clock alone, as setting a clock does), while twelve
organizations each ask four times a second. Once it is the clock of a server over a data folder, whose
windows go by the monotonic clock: nothing may change. Once it is that of the Redis which two servers
share, whose time of day is all there is: a step forward may forget a window, so that ten more are
admitted, and a step back may begin the wait of ten seconds anew. That is counted from outside, and only
what is certain: a request was admitted some time between its sending and its answer.

What goes by the calendar is asked for on both sides of midnight, and once more each: a day's quota is
granted once. Only a clock that shows four different days or more, each of them charged, would have the
server forget the counts of one.`,
  async run(trial) {
    const clock = fakeClock(trial.folder, 'server')
    if (clock === undefined) {
      const measured = 'left out: no libfaketime'
      return [{ what: 'setting the clock', bar: '', measured, met: true }]
    }
    // Both spend most of the time waiting.
    const [server, redis] = await Promise.all([stepServer(trial, clock), stepRedis(trial)])
    return [...server, ...redis, ...(await stepCalendar(trial, clock))]
  },
}
