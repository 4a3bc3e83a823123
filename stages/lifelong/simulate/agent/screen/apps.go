package screen

import "github.com/memforge/memforge/pipeline/draw"

func layouts() map[string]layout {
	return map[string]layout{
		"spreadsheet": {"a screenshot of a spreadsheet", spreadsheet, cellRows},
		"files":       {"a screenshot of a file manager", files, pairRows(draw.Sans, 0x6b7280, 0x111827, "%s")},
		"pictures":    {"a screenshot of a picture editor", pictures, pairRows(draw.Sans, 0x9ca3af, 0xf3f4f6, "%s")},
		"documents":   {"a screenshot of a word processor", documents, pairRows(draw.Serif, 0x4b5563, 0x111827, "%s:")},
		"shop":        {"a screenshot of a shop's page", shop, pairRows(draw.Sans, 0x6b7280, 0x111827, "%s")},
		"admin":       {"a screenshot of an admin site", admin, pairRows(draw.Sans, 0x6b7280, 0x111827, "%s")},
		"styles":      {"a screenshot of a style editor", styles, cssRows},
		"phone":       {"a screenshot of a phone", phone, pairRows(draw.Sans, 0x6b7280, 0x111827, "%s")},
		"household":   {"a view of a room", household, pairRows(draw.Sans, 0x6b4f2a, 0x2b2118, "%s")},
		"navigation":  {"a map with a robot on its way", navigation, pairRows(draw.Sans, 0x475569, 0x0f172a, "%s")},
		"crafting":    {"a view of a world of blocks", crafting, pairRows(draw.Mono, 0xd1d5db, 0xffffff, "%s")},
		"workshop":    {"a view of a garden shed", workshop, pairRows(draw.Sans, 0x3f5b3a, 0x1b2b18, "%s")},
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
	return draw.PixelBox(40, 74, 470, 8*rowHeight)
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
	b.drawMosaic(s.appearance("", ""), 186, 58)
	b.text(206, 46, 300, 14, draw.SansMedium, 0x111827, s.Title)
	b.text(206, 66, 300, 11, draw.Sans, 0x6b7280, "Properties")
	b.box(178, 88, 326, 1, 0xd5d9de)
	return draw.PixelBox(178, 92, 330, 8*rowHeight)
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
	artwork(b, s)
	b.text(48, 246, 160, 11, draw.Sans, 0x9ca3af, "100 %   RGB")
	b.box(210, 26, width-210, height-26, 0x34373d)
	b.text(222, 34, 280, 13, draw.SansMedium, 0xffffff, s.Title)
	b.text(222, 56, 280, 11, draw.Sans, 0x9ca3af, "Image properties")
	return draw.PixelBox(222, 82, 292, 8*rowHeight)
}

// artwork draws a picture of the size of its kind, in colours derived from its name.
func artwork(b *brush, s Screen) {
	size := map[string][2]int{"poster": {130, 190}, "cover": {120, 170}, "banner": {150, 70}, "postcard": {150, 104}}[kindOf(s.Title)]
	if size[0] == 0 {
		size = [2]int{140, 140}
	}
	l, x, y := s.appearance("", ""), 123-size[0]/2, 140-size[1]/2
	paper, stated := colourOf(s.value("backdrop"))
	if !stated {
		paper = draw.Hex(0xe9e4d8)
	}
	b.plane(x, y, size[0], size[1], paper)
	b.c.Oval(draw.Disc(draw.P(x+size[0]*2/3, y+size[1]/3), draw.Px(size[1]/5)), l.ink)
	b.fill(l.trim, draw.P(x, y+size[1]), draw.P(x+size[0]/3, y+size[1]/2), draw.P(x+size[0]*3/4, y+size[1]))
	b.drawMosaic(l, x+size[0]-16, y+size[1]-16)
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
	return draw.PixelBox(80, 98, 380, 8*rowHeight)
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
	b.drawThing(kindOf(s.Title), s.appearance("chosen colour", ""), 91, 176)
	b.round(16, 198, 150, 28, 14, 0xfca311)
	b.text(58, 201, 100, 12, draw.SansBold, 0x14213d, "Buy again")
	for i := range 5 {
		b.disc(30+16*i, 244, 5, 0xf5b301)
	}
	b.text(184, 50, 320, 16, draw.SansBold, 0x111827, s.Title)
	return draw.PixelBox(184, 82, 326, 8*rowHeight)
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
	return draw.PixelBox(176, 54, width-192, 9*rowHeight)
}

func styles(b *brush, s Screen) draw.Box {
	b.box(0, 0, 342, height, 0x1a1b26)
	b.text(12, 8, 300, 12, draw.Mono, 0x565f89, "/* "+s.Title+" */")
	b.text(12, 30, 300, 12, draw.Mono, 0xbb9af7, ":root {")
	b.text(12, 268, 300, 12, draw.Mono, 0xbb9af7, "}")
	b.box(342, 0, width-342, height, 0xffffff)
	b.box(342, 0, width-342, 24, 0xe5e7eb)
	b.text(354, 2, 150, 11, draw.Sans, 0x4b5563, "Preview")
	l := s.appearance("", "accent colour")
	b.plane(354, 36, 152, 40, l.trim)
	b.box(368, 50, 90, 12, 0xffffff)
	for i := range 7 {
		b.box(354, 90+16*i, 152-(i%3)*30, 7, 0xd1d5db)
	}
	b.pill(354, 214, 70, 24, 12, l.trim)
	b.drawMosaic(l, 492, 56)
	// wider than the editor, so that the longest property ends before the values begin; two names end before the
	// preview does
	return draw.PixelBox(24, 54, 350, 8*rowHeight)
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
	if paper, stated := colourOf(s.value("background")); stated {
		b.plane(0, 318, phoneWidth, phoneHeight-318, paper)
	}
	b.drawMosaic(s.appearance("", ""), 284, 48)
	for i := range 4 {
		b.round(30+66*i, 330, 38, 38, 10, []uint32{0x34c759, 0x2563eb, 0xff9500, 0xff3b30}[i])
		b.disc(49+66*i, 349, 9, 0xffffff)
	}
	b.round(100, 388, 100, 5, 2, 0x111827)
	return draw.PixelBox(18, 98, phoneWidth-32, 8*rowHeight)
}
