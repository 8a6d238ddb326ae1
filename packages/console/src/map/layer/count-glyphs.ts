/** All that a count is written with. */
export const GLYPHS = '0123456789k'

/** Twice as large as they are drawn: sharp on dense screens, and good without mipmaps, which mix neighbors. */
const WIDE = 15
const HIGH = 30

/** The glyphs in a row, of the page's own font: the map needs no font files, and no network. */
export function createGlyphTexture(gl: WebGL2RenderingContext): WebGLTexture {
  const canvas = document.createElement('canvas')
  canvas.width = WIDE * GLYPHS.length
  canvas.height = HIGH
  const context = canvas.getContext('2d')!
  context.font = `600 23px system-ui, sans-serif`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  for (const [at, glyph] of [...GLYPHS].entries()) {
    context.fillText(glyph, (at + 0.5) * WIDE, HIGH / 2 + 1.5, WIDE)
  }
  const texture = gl.createTexture()
  gl.bindTexture(gl.TEXTURE_2D, texture)
  // MapLibre leaves both as it last needed them.
  gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false)
  gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false)
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, canvas)
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR)
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE)
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE)
  return texture
}
