import { t } from '../language/text.ts'
import { DownloadLink } from './Button.tsx'
import { Icon } from './Icon.tsx'

type ExportsProps = {
  formats: readonly string[]
  /** The address of the file with this ending. */
  href: (ending: string) => string
}

/** The rows of a page as files. */
export function Exports({ formats, href }: ExportsProps) {
  return (
    <span className="row">
      {formats.map((format) => (
        <DownloadLink key={format} href={href(format.toLowerCase())}>
          <Icon name="download" />
          {t('Export {{format}}', { format })}
        </DownloadLink>
      ))}
    </span>
  )
}
