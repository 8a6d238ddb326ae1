import { t } from '../language/text.ts'
import { count } from './format.ts'
import './Meter.css'

/**
 * A bar for a used share. The numbers next to it carry the information, so the bar is hidden from screen
 * readers.
 */
export function Meter({ used, limit }: { used: number; limit: number }) {
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  const state = share >= 1 ? ' meter-full' : share >= 0.8 ? ' meter-near' : ''
  return (
    <span className="meter">
      <span className={`meter-track${state}`} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span className="meter-text">
        {t('{{used}} of {{limit}}', { used: count(used), limit: count(limit) })}
      </span>
    </span>
  )
}
