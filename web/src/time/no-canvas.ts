// Replaces uPlot when figures are drawn to files, outside a browser.

export default class NoCanvas {}
