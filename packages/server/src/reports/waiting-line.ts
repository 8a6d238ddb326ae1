import { openSlots } from '../domain/slots.ts'

/** Runs long work, some at a time in this process. The organizations that wait have their turns one after the other. */
export type WaitingLine = <Result>(
  organization: number,
  /** Ends the wait with its reason. */
  gone: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result>

/** The memory of a process holds so many reports at once, and those of one organization leave room for others. */
const AT_ONCE = 4
const OF_ORGANIZATION = 2

export function openWaitingLine(
  atOnce: number = AT_ONCE,
  ofOrganization: number = OF_ORGANIZATION,
): WaitingLine {
  const slots = openSlots(atOnce, ofOrganization)
  return async (organization, gone, work) => {
    gone.throwIfAborted()
    const free = await slots.take(organization, gone)
    try {
      return await work()
    } finally {
      free()
    }
  }
}
