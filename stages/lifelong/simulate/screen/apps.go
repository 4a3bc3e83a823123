package screen

import "github.com/memforge/memforge/pipeline/draw"

func layouts() map[string]layout {
	return map[string]layout{
		"spreadsheet": {"a screenshot of a spreadsheet", spreadsheet, cells},
		"files":       {"a screenshot of a file manager", files, pairs(draw.Sans, 0x6b7280, 0x111827, "%s")},
		"pictures":    {"a screenshot of a picture editor", pictures, pairs(draw.Sans, 0x9ca3af, 0xf3f4f6, "%s")},
		"documents":   {"a screenshot of a word processor", documents, pairs(draw.Serif, 0x4b5563, 0x111827, "%s:")},
		"shop":        {"a screenshot of a shop's page", shop, pairs(draw.Sans, 0x6b7280, 0x111827, "%s")},
		"admin":       {"a screenshot of an admin site", admin, pairs(draw.Sans, 0x6b7280, 0x111827, "%s")},
		"styles":      {"a screenshot of a style editor", styles, css},
		"phone":       {"a screenshot of a phone", phone, pairs(draw.Sans, 0x6b7280, 0x111827, "%s")},
		"household":   {"a view of a room", household, pairs(draw.Sans, 0x6b4f2a, 0x2b2118, "%s")},
		"navigation":  {"a map with a robot on its way", navigation, pairs(draw.Sans, 0x475569, 0x0f172a, "%s")},
		"crafting":    {"a view of a world of blocks", crafting, pairs(draw.Mono, 0xd1d5db, 0xffffff, "%s")},
		"workshop":    {"a view of a garden shed", workshop, pairs(draw.Sans, 0x3f5b3a, 0x1b2b18, "%s")},
	}
}

func spreadsheet(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, 28, 0x1d7044)
	b.text(12, 4, 300, 13, draw.SansMedium, 0xffffff, s.Title+" - Workbook")
	b.box(0, 28, width, 26, 0xeef2ef)
	b.text(10, 31, 60, 11, draw.Sans, 0x374151, "B2")
	b.text(70, 31, 30, 12, draw.Serif, 0x1d7044, "fx")
	b.round(96, 32, 410, 18, 2, 0xffffff)
	b.box(0, 54, width, height-54, 0xffffff)
	b.box(0, 54, width, 20, 0xe5e9ec)
	for i, col := range []string{"A", "B", "C"} {
		b.text(110+190*i, 55, 20, 11, draw.SansMedium, 0x4b5563, col)
	}
	b.box(0, 276, width, 24, 0xe5e9ec)
	for i, t := range s.Around[:min(3, len(s.Around))] {
		b.round(8+168*i, 278, 162, 20, 3, 0xf8faf9)
		b.text(16+168*i, 279, 150, 11, draw.Sans, 0x4b5563, t)
	}
	return draw.Pixels(40, 74, 470, 8*rowHeight)
}

func files(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, 34, 0xdfe3e8)
	for i, ink := range []uint32{0xf0655a, 0xf3bd4e, 0x55bf5b} {
		b.disc(16+18*i, 17, 6, ink)
	}
	b.text(80, 7, 400, 12, draw.Sans, 0x374151, "Home  /  Work  /  "+s.Title)
	b.box(0, 34, 160, height-34, 0xf0f2f5)
	for i := range s.Around {
		folder(b, 12, 52+24*i, 0x5b9bd5)
	}
	b.list(36, 48, 118, 0x374151, s.Around)
	b.box(160, 34, width-160, height-34, 0xffffff)
	folder(b, 178, 50, 0xe8a33d)
	b.text(206, 46, 300, 14, draw.SansMedium, 0x111827, s.Title)
	b.text(206, 66, 300, 11, draw.Sans, 0x6b7280, "Properties")
	b.box(178, 88, 326, 1, 0xd5d9de)
	return draw.Pixels(178, 92, 330, 8*rowHeight)
}

func folder(b *brush, x, y int, ink uint32) {
	b.round(x, y, 8, 5, 1, ink)
	b.round(x, y+3, 18, 12, 2, ink)
}

func pictures(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, height, 0x2b2d31)
	b.text(12, 4, 300, 12, draw.Sans, 0xd1d5db, "File   Edit   Layer   Filter")
	b.box(0, 26, 34, height-26, 0x1f2023)
	for i := range 8 {
		b.round(8, 34+30*i, 18, 18, 3, 0x4b4e55)
		b.disc(17, 43+30*i, 3+i%3, 0xd1d5db)
	}
	b.box(48, 50, 150, 190, 0xe9e4d8)
	b.disc(128, 110, 38, 0xe2703a)
	b.shape(0x2f6f73, draw.P(48, 240), draw.P(110, 140), draw.P(160, 240))
	b.shape(0x4a9a8f, draw.P(110, 240), draw.P(160, 170), draw.P(198, 240))
	b.text(48, 246, 160, 11, draw.Sans, 0x9ca3af, "100 %   RGB")
	b.box(210, 26, width-210, height-26, 0x34373d)
	b.text(222, 34, 280, 13, draw.SansMedium, 0xffffff, s.Title)
	b.text(222, 56, 280, 11, draw.Sans, 0x9ca3af, "Image properties")
	return draw.Pixels(222, 82, 292, 8*rowHeight)
}

func documents(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, 28, 0x2b579a)
	b.text(12, 4, 400, 13, draw.SansMedium, 0xffffff, s.Title+" - Document")
	b.box(0, 28, width, 26, 0xf3f4f6)
	b.text(12, 31, 300, 11, draw.Sans, 0x374151, "Home    Insert    Layout    Review")
	for i, t := range []string{"B", "I", "U"} {
		b.round(400+30*i, 32, 22, 18, 3, 0xdde2ea)
		b.text(407+30*i, 31, 14, 12, draw.SerifBold, 0x374151, t)
	}
	b.box(0, 54, width, height-54, 0xcfd4da)
	b.box(50, 62, 420, height-62, 0xffffff)
	b.text(80, 70, 380, 16, draw.SerifBold, 0x111827, s.Title)
	return draw.Pixels(80, 98, 380, 8*rowHeight)
}

func shop(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, 40, 0x14213d)
	b.text(12, 8, 100, 16, draw.SansBold, 0xfca311, "mercato")
	b.round(110, 9, 300, 22, 11, 0xffffff)
	b.text(124, 10, 200, 11, draw.Sans, 0x9ca3af, "Search all products")
	b.round(462, 16, 22, 12, 2, 0xfca311)
	b.disc(467, 32, 3, 0xfca311)
	b.disc(479, 32, 3, 0xfca311)
	b.box(0, 40, width, height-40, 0xffffff)
	b.round(16, 56, 150, 130, 8, 0xeef1f5)
	b.thing(kindOf(s.Title), 91, 176)
	b.round(16, 198, 150, 28, 14, 0xfca311)
	b.text(58, 201, 100, 12, draw.SansBold, 0x14213d, "Buy again")
	for i := range 5 {
		b.disc(30+16*i, 244, 5, 0xf5b301)
	}
	b.text(184, 50, 320, 16, draw.SansBold, 0x111827, s.Title)
	return draw.Pixels(184, 82, 326, 8*rowHeight)
}

func admin(b *brush, s Screen) draw.Box {
	b.box(0, 0, 150, height, 0x1e293b)
	b.text(14, 10, 130, 14, draw.SansBold, 0x38bdf8, "ADMIN")
	b.text(14, 36, 130, 11, draw.Sans, 0x94a3b8, "Dashboard")
	b.list(14, 64, 130, 0xe2e8f0, s.Around)
	b.text(14, 270, 130, 11, draw.Sans, 0x94a3b8, "Log out")
	b.box(150, 0, width-150, 36, 0xffffff)
	b.text(166, 8, 300, 13, draw.SansMedium, 0x0f172a, "Configuration  >  "+s.Title)
	b.disc(500, 18, 10, 0x38bdf8)
	b.round(162, 46, width-174, height-56, 6, 0xffffff)
	for i := range 8 {
		b.box(174, 54+rowHeight*(i+1), width-198, 1, 0xe5e7eb)
	}
	return draw.Pixels(176, 54, width-192, 9*rowHeight)
}

func styles(b *brush, s Screen) draw.Box {
	b.box(0, 0, 330, height, 0x1a1b26)
	b.text(12, 8, 300, 12, draw.Mono, 0x565f89, "/* "+s.Title+" */")
	b.text(12, 30, 300, 12, draw.Mono, 0xbb9af7, "main {")
	b.text(12, 268, 300, 12, draw.Mono, 0xbb9af7, "}")
	b.box(330, 0, width-330, height, 0xffffff)
	b.box(330, 0, width-330, 24, 0xe5e7eb)
	b.text(342, 2, 160, 11, draw.Sans, 0x4b5563, "Preview")
	b.box(344, 36, 162, 40, 0x6d5bd0)
	b.box(360, 50, 90, 12, 0xffffff)
	for i := range 7 {
		b.box(344, 90+16*i, 162-(i%3)*30, 7, 0xd1d5db)
	}
	b.round(344, 214, 70, 24, 12, 0x6d5bd0)
	return draw.Pixels(24, 54, 300, 8*rowHeight)
}

func phone(b *brush, s Screen) draw.Box {
	b.box(0, 0, phoneWidth, phoneHeight, 0xf2f2f7)
	b.text(14, 3, 60, 12, draw.SansMedium, 0x111827, "9:41")
	b.round(256, 8, 26, 12, 3, 0x111827)
	b.box(230, 10, 4, 10, 0x111827)
	b.box(236, 7, 4, 13, 0x111827)
	b.box(242, 4, 4, 16, 0x111827)
	b.text(14, 32, 240, 12, draw.Sans, 0x2563eb, "< Back")
	b.text(14, 58, 270, 18, draw.SansBold, 0x111827, s.Title)
	b.round(8, 92, phoneWidth-16, 8*rowHeight+12, 12, 0xffffff)
	for i := range 4 {
		b.round(30+66*i, 330, 38, 38, 10, []uint32{0x34c759, 0x2563eb, 0xff9500, 0xff3b30}[i])
		b.disc(49+66*i, 349, 9, 0xffffff)
	}
	b.round(100, 388, 100, 5, 2, 0x111827)
	return draw.Pixels(18, 98, phoneWidth-32, 8*rowHeight)
}

func household(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, 200, 0xf3e6d0)
	b.box(0, 200, width, height-200, 0xb98b5e)
	b.box(24, 30, 110, 90, 0xffffff)
	b.box(30, 36, 98, 78, 0x9fd3ee)
	b.box(76, 36, 5, 78, 0xffffff)
	b.box(30, 72, 98, 5, 0xffffff)
	b.box(14, 196, 160, 12, 0x7a5230)
	b.box(24, 208, 10, 70, 0x7a5230)
	b.box(154, 208, 10, 70, 0x7a5230)
	b.thing(kindOf(s.Title), 94, 196)
	board(b, s.Title, 0xfffaf0, 0xb98b5e)
	return draw.Pixels(212, 56, 292, 8*rowHeight)
}

// board is the label with what stands on a thing, at the right of a view.
func board(b *brush, title string, paper, edge uint32) {
	b.round(196, 14, 312, 262, 8, edge)
	b.round(199, 17, 306, 256, 6, paper)
	b.text(212, 24, 280, 15, draw.SansBold, 0x1f2937, title)
}

func navigation(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, height, 0xdfe8d8)
	for i := range 4 {
		b.box(0, 40+70*i, width, 14, 0xffffff)
		b.box(24+58*i, 0, 12, height, 0xffffff)
	}
	b.line(30, 290, 30, 187, 4, 0x2563eb)
	b.line(30, 187, 146, 187, 4, 0x2563eb)
	b.line(146, 187, 146, 60, 4, 0x2563eb)
	b.shape(0xdc2626, draw.P(146, 60), draw.P(132, 34), draw.P(160, 34))
	b.disc(146, 32, 14, 0xdc2626)
	b.disc(146, 32, 5, 0xffffff)
	b.round(18, 262, 24, 24, 5, 0x334155)
	b.disc(26, 274, 3, 0x67e8f9)
	b.disc(36, 274, 3, 0x67e8f9)
	board(b, s.Title, 0xffffff, 0x94a3b8)
	return draw.Pixels(212, 56, 292, 8*rowHeight)
}

func crafting(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, height, 0x8ec5ff)
	const side = 26
	for x := range width/side + 1 {
		top := 170 + side*((x*5+2)%3)
		b.box(x*side, top, side-1, side-1, 0x5da130)
		for y := top + side; y < height; y += side {
			b.box(x*side, y, side-1, side-1, []uint32{0x8a5a35, 0x7d5230, 0x6f6f6f}[(x+y)%3])
		}
	}
	b.box(60, 92, 26, 78, 0x6b4a2b)
	for _, at := range [][2]int{{34, 66}, {60, 40}, {60, 66}, {86, 66}} {
		b.box(at[0], at[1], 26, 26, 0x3f7d20)
	}
	for i := range 6 {
		b.box(10+30*i, 264, 28, 28, 0x2f2f2f)
		b.box(13+30*i, 267, 22, 22, []uint32{0xb08d57, 0x9ca3af, 0x60a5fa, 0x4b5563, 0xf59e0b, 0x4b5563}[i])
	}
	b.box(196, 14, 312, 240, 0x1f1f1f)
	b.text(212, 20, 280, 14, draw.Mono, 0xfde047, s.Title)
	return draw.Pixels(212, 46, 290, 8*rowHeight)
}

func workshop(b *brush, s Screen) draw.Box {
	b.box(0, 0, width, height, 0xa7825a)
	for i := range 9 {
		b.box(i*60, 0, 2, height, 0x8c6a45)
	}
	b.box(10, 120, 176, 8, 0x5f4426)
	for i := range 3 {
		x := 30 + 54*i
		b.shape(0xc4623a, draw.P(x-16, 86), draw.P(x+16, 86), draw.P(x+11, 120), draw.P(x-11, 120))
		b.line(x, 86, x, 62, 3, 0x3f7d20)
		b.disc(x-7, 62, 7, 0x4f9d2f)
		b.disc(x+7, 58, 7, 0x4f9d2f)
	}
	b.line(40, 150, 40, 270, 5, 0xd6b98c)
	b.box(28, 250, 24, 34, 0x6b7280)
	b.line(100, 150, 100, 280, 5, 0xd6b98c)
	for i := range 4 {
		b.line(88+8*i, 262, 88+8*i, 284, 3, 0x6b7280)
	}
	board(b, s.Title, 0xf3f7ee, 0x5f4426)
	return draw.Pixels(212, 56, 292, 8*rowHeight)
}
