/** Apps whose units differ from those of the formats that they send in, or may be named to say that they do not. */
export const FEED_CLIENTS = ['traccar-client', 'osmand-app', 'gpslogger', 'owntracks'] as const
export type FeedClient = (typeof FEED_CLIENTS)[number]
