import { useServer } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { CopyLine } from '../ui/Copy.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'

/** The API's address, unless the operator configured another one. */
const API_URL = 'http://127.0.0.1:7070'

export function KeyLines({ secret }: { secret: string }) {
  return (
    <Loaded query={useServer()} lines={2}>
      {({ api_url }) => <Lines secret={secret} apiUrl={api_url} />}
    </Loaded>
  )
}

function Lines({ secret, apiUrl }: { secret: string; apiUrl: string | null }) {
  return (
    <>
      <CopyLine label={t('API key')} text={secret} />
      <CopyLine
        label={t('curl command')}
        text={`curl -H 'x-api-key: ${secret}' ${apiUrl ?? API_URL}/public/v1/objects`}
      />
      {apiUrl === null && (
        <p className="soft small">
          {t(
            'The server was started without --api-url, so the command has the default address. Replace it with yours.',
          )}
        </p>
      )}
    </>
  )
}
