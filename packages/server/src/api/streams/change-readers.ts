import { type ChangeWatch, openChangeWatch } from '../../changes/change-watch.ts'
import type { Store } from '../../store/store.ts'
import { openPageRoom, type PageRoom, ROOM_OF_CHANGES } from '../changes/page-room.ts'
import {
  type OpenStreams,
  openStreams,
  type StreamCounts,
  type StreamParts,
} from './open-streams.ts'
import { openSharedPages, type SharedPages } from './shared-pages.ts'

/** The parts that serve readers of the change log. */
export type ChangeReaders = {
  readonly changeWatch: ChangeWatch
  readonly pageRoom: PageRoom
  readonly streams: OpenStreams
  readonly sharedPages: SharedPages
}

/** `maxStreams`: of the process. `failed` gets the error if the newest changes could not be read. */
export function openChangeReaders(
  store: Pick<Store, 'changeLog' | 'watch'>,
  parts: StreamParts,
  maxStreams: number,
  counts: StreamCounts,
  failed: (error: unknown) => void,
): ChangeReaders {
  return {
    changeWatch: openChangeWatch(store, failed),
    pageRoom: openPageRoom(ROOM_OF_CHANGES),
    streams: openStreams(maxStreams, parts, counts),
    sharedPages: openSharedPages(),
  }
}

/** Answers waiting requests at once, and ends all streams. */
export function releaseReaders({ changeWatch, streams }: ChangeReaders): void {
  changeWatch.close()
  streams.close()
}
