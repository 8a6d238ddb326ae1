import type { ReaderView } from '../store/change-log.ts'
import { logPage } from './log-page.ts'
import type { Page, PageOptions } from './page.ts'
import type { Place } from './place.ts'
import { snapshotPage } from './snapshot-page.ts'

/** Makes the page that begins at a place. Does not check whether the log still goes back that far. */
export function makePage(view: ReaderView, place: Place, options: PageOptions): Promise<Page> {
  return place.part === 'log' ? logPage(view, place, options) : snapshotPage(view, place, options)
}
