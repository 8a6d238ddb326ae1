import { traccarForward } from '../../../server/src/base/domain/credential.ts'
import { useServer } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { CopyLine } from '../ui/Copy.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'

/** The address of the feed, unless the operator has given another. */
const FEED_URL = 'http://127.0.0.1:7071'

type FeedLinesProps = {
  token: string
  /** The token is of the deployment: a server sends with it, and no phone or tracker. */
  isOfDeployment?: boolean
}

/** Lines to copy, one for each kind of sender: the same as `fleetgate feed-token issue` prints. */
export function FeedLines(props: FeedLinesProps) {
  return (
    <Loaded query={useServer()} lines={4}>
      {({ feed_url }) => <Lines {...props} feedUrl={feed_url} />}
    </Loaded>
  )
}

type LinesProps = FeedLinesProps & { feedUrl: string | null }

function Lines({ token, isOfDeployment = false, feedUrl }: LinesProps) {
  const origin = feedUrl ?? FEED_URL
  const row = JSON.stringify([
    { ident: 'van-12', time_device: '2026-11-20T10:00:00Z', latitude: 41.01, longitude: 28.97 },
  ])
  return (
    <>
      {!isOfDeployment && (
        <>
          <CopyLine
            label={t('Phone with Traccar Client, or tracker with the OsmAnd protocol: server URL')}
            text={`${origin}/feed/v1/${token}/osmand`}
          />
          <CopyLine
            label={t('Phone with Overland: receiver endpoint')}
            text={`${origin}/feed/v1/${token}/overland`}
          />
        </>
      )}
      <CopyLine
        label={t('Traccar server: add to traccar.xml')}
        text={traccarForward(origin, token).join('\n')}
      />
      <CopyLine
        label={t('Program: curl command')}
        text={`curl -H 'x-feed-token: ${token}' --json '${row}' ${origin}/feed/v1/positions`}
      />
      <CopyLine label={t('Feed token')} text={token} />
      {isLocal(origin) && (
        <p className="soft small">
          {feedUrl === null
            ? t(
                'The server was started without --feed-url, so these lines have its default local address.',
              )
            : t('This address can be reached only from the server’s machine.')}{' '}
          {isOfDeployment
            ? t(
                'A server elsewhere needs an address that it can reach: the machine’s address in your network, or your proxy’s hostname.',
              )
            : t(
                'A phone needs an address that it can reach: the machine’s address in your network, or your proxy’s hostname.',
              )}
        </p>
      )}
    </>
  )
}

function isLocal(origin: string): boolean {
  return /^https?:\/\/(127\.|localhost|\[::1\])/.test(origin)
}
