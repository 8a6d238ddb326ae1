import UPlot from 'uplot'
import type { Palette } from '../base/palette.ts'
import type { LevelMark, StandBand } from './chart-marks.ts'

const FONT_PX = 11
/** A narrower band has no room for its number. */
const NUMBER_PX = 14
const HATCH_PX = 7

/** Writes the units of both axes above them. */
export function drawUnits(plot: UPlot, units: readonly [string, string], palette: Palette): void {
  const { ctx, bbox } = plot
  const ratio = UPlot.pxRatio
  const y = bbox.top - 14 * ratio
  ctx.save()
  setText(ctx, palette.label)
  ctx.textAlign = 'right'
  ctx.fillText(units[0], bbox.left - 4 * ratio, y)
  ctx.textAlign = 'left'
  ctx.fillText(units[1], bbox.left + bbox.width + 4 * ratio, y)
  ctx.restore()
}

/**
 * Shades the times without motion, with the numbers of stops above them. A silence is hatched, because nothing is
 * known of it.
 */
export function drawBands(plot: UPlot, bands: readonly StandBand[], palette: Palette): void {
  const { ctx, bbox } = plot
  const { left, top, width, height } = bbox
  const ratio = UPlot.pxRatio
  ctx.save()
  setText(ctx, palette.label)
  for (const { from, to, kind, number } of bands) {
    const start = Math.max(left, plot.valToPos(from / 1000, 'x', true))
    const end = Math.min(left + width, plot.valToPos(Math.min(to / 1000, 1e11), 'x', true))
    if (end <= start) continue
    if (kind === 'silent') hatch(ctx, { left: start, top, width: end - start, height }, palette)
    else {
      ctx.fillStyle = `${palette.label}22`
      ctx.fillRect(start, top, end - start, height)
    }
    if (number === null || end - start < NUMBER_PX * ratio) continue
    ctx.fillStyle = palette.label
    ctx.fillText(String(number), (start + end) / 2, top - 8 * ratio)
  }
  ctx.restore()
}

function hatch(ctx: CanvasRenderingContext2D, box: UPlot.BBox, palette: Palette): void {
  const step = HATCH_PX * UPlot.pxRatio
  ctx.save()
  ctx.beginPath()
  ctx.rect(box.left, box.top, box.width, box.height)
  ctx.clip()
  ctx.strokeStyle = `${palette.label}55`
  ctx.lineWidth = UPlot.pxRatio
  ctx.beginPath()
  for (let x = box.left - box.height; x < box.left + box.width; x += step) {
    ctx.moveTo(x, box.top + box.height)
    ctx.lineTo(x + box.height, box.top)
  }
  ctx.stroke()
  ctx.restore()
}

/** Marks the moments at which a level rose or fell: a line, a triangle and the amount. */
export function drawMarks(plot: UPlot, marks: readonly LevelMark[], palette: Palette): void {
  const { ctx, bbox } = plot
  const { left, top, width, height } = bbox
  const ratio = UPlot.pxRatio
  const size = 5 * ratio
  ctx.save()
  setText(ctx, palette.before)
  for (const { at, rises, amount } of marks) {
    const x = plot.valToPos(at / 1000, 'x', true)
    if (x < left || x > left + width) continue
    ctx.fillStyle = palette.before
    ctx.fillRect(x - ratio / 2, top, ratio, height)
    const [tip, base] = rises
      ? [top + 3 * ratio, top + 13 * ratio]
      : [top + 13 * ratio, top + 3 * ratio]
    ctx.beginPath()
    ctx.moveTo(x, tip)
    ctx.lineTo(x - size, base)
    ctx.lineTo(x + size, base)
    ctx.fill()
    // The amount is on the side that has room for it.
    const isRight = x > left + width * 0.8
    ctx.textAlign = isRight ? 'right' : 'left'
    const beside = x + (isRight ? -9 : 9) * ratio
    ctx.lineWidth = 3 * ratio
    ctx.strokeStyle = palette.halo
    ctx.strokeText(amount, beside, top + 8 * ratio)
    ctx.fillText(amount, beside, top + 8 * ratio)
  }
  ctx.restore()
}

function setText(ctx: CanvasRenderingContext2D, color: string): void {
  ctx.font = `${FONT_PX * UPlot.pxRatio}px system-ui, sans-serif`
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  ctx.fillStyle = color
}
