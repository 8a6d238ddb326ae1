import { type InTurn, openTurns } from '../domain/common/slots.ts'

/** The memory of a process holds so many reports at once, and those of one organization leave room for others. */
const AT_ONCE = 4
const OF_ORGANIZATION = 2

/** Runs reports, some at a time in this process. */
export function openWaitingLine(): InTurn {
  return openTurns(AT_ONCE, OF_ORGANIZATION)
}
