// Stands for uPlot where there is no browser: files are drawn without a canvas.

export default class NoCanvas {}
