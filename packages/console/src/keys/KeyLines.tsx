import { t } from '../language/text.ts'
import { CopyLine } from '../ui/Copy.tsx'

/** The API's address, unless the operator configured another one. */
const API_URL = 'http://127.0.0.1:7070'

export function KeyLines({ secret, apiUrl }: { secret: string; apiUrl: string | null }) {
  return (
    <>
      <CopyLine label={t('API key')} text={secret} />
      <CopyLine
        label={t('curl line')}
        text={`curl -H 'x-api-key: ${secret}' ${apiUrl ?? API_URL}/public/v1/objects`}
      />
      {apiUrl === null && (
        <p className="soft small">
          {t(
            'The server was started without --api-url, so the line has the default address. Replace it with yours.',
          )}
        </p>
      )}
    </>
  )
}
