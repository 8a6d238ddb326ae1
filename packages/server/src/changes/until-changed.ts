import type { ChangeWatch } from './change-watch.ts'

/** Resolves when the organization has a change after number `known`, after `waitMs`, or when the signal aborts. */
export function untilChanged(
  changeWatch: Pick<ChangeWatch, 'wait' | 'leave'>,
  organization: number,
  known: number,
  waitMs: number,
  gone: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(wake, waitMs)
    const reader = { known, wake }
    gone.addEventListener('abort', wake)
    changeWatch.wait(organization, reader)
    function wake(): void {
      clearTimeout(timer)
      gone.removeEventListener('abort', wake)
      changeWatch.leave(organization, reader)
      resolve()
    }
  })
}
