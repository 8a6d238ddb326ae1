import type { ChangeWatch, WaitingReader } from './change-watch.ts'

/** Resolves when the organization has a change that concerns the reader, after `waitMs`, or when the signal aborts. */
export function untilChanged(
  changeWatch: Pick<ChangeWatch, 'wait' | 'leave'>,
  organization: number,
  { known, takesRecords }: Pick<WaitingReader, 'known' | 'takesRecords'>,
  waitMs: number,
  gone: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(wake, waitMs)
    const reader = { known, takesRecords, wake }
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
