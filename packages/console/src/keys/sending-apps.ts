import type { FeedClient } from '../../../server/src/base/domain/credential.ts'
import { t } from '../language/text.ts'

/** The app that sends with a feed token, or any sender with the units of its format. */
export type SendingApp = 'any' | FeedClient

export const SENDING_APPS: Record<SendingApp, string> = {
  any: t('Any (default units)'),
  'traccar-client': t('Traccar Client'),
  'osmand-app': 'OsmAnd',
  gpslogger: 'GPSLogger',
  owntracks: 'OwnTracks',
}
